// json.cpp -- read a document with jsoncpp, walk it, and write it again.
//
// usage: json FILE ROUNDS
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <json/json.h>
#include <sstream>

static double sum(const Json::Value &value)
{
    double total = 0;

    if (value.isObject() || value.isArray())
        for (const auto &member : value)
            total += sum(member);
    else if (value.isNumeric())
        total = value.asDouble();
    return total;
}

int main(int, char **argv)
{
    std::ifstream file(argv[1]);
    std::stringstream text;

    text << file.rdbuf();
    for (int round = 0; round < std::atoi(argv[2]); round++) {
        Json::Value value, by_customer;
        std::istringstream(text.str()) >> value;
        for (const auto &order : value)
            by_customer[order["customer"].asString()].append(order["lines"]);
        Json::FastWriter writer;
        std::cout << sum(value) << ' ' << writer.write(by_customer).size()
                  << '\n';
    }
    return 0;
}
