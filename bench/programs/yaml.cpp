// yaml.cpp -- read a document with yaml-cpp, walk it, and write it again.
//
// usage: yaml FILE ROUNDS
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <iostream>
#include <yaml-cpp/yaml.h>

static std::size_t count(const YAML::Node &node)
{
    std::size_t total = 1;

    if (node.IsMap())
        for (const auto &member : node)
            total += count(member.first) + count(member.second);
    else if (node.IsSequence())
        for (const auto &member : node)
            total += count(member);
    return total;
}

int main(int, char **argv)
{
    for (int round = 0; round < std::atoi(argv[2]); round++) {
        const YAML::Node node = YAML::LoadFile(argv[1]);
        YAML::Emitter out;
        out << node;
        std::cout << count(node) << ' ' << out.size() << '\n';
    }
    return 0;
}
