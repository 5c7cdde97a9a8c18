// Containers, strings, exceptions and virtual calls, for comparing passes. No object
// whose members are compiled in the C++ library, and no map: ours counts or reports
// what the library accesses.
#include <memory>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

struct Square : Shape {
    double side;
    explicit Square(double s) : side(s) {}
    double area() const override { return side * side; }
};

struct Large {
    const char *text;
};

static double sum(const std::vector<std::unique_ptr<Shape>> &shapes)
{
    double total = 0;
    for (const auto &shape : shapes)
        total += shape->area();
    return total;
}

int main()
{
    std::vector<std::unique_ptr<Shape>> shapes;
    std::vector<std::string> words;

    for (int i = 0; i < 50; i++) {
        shapes.push_back(std::make_unique<Square>(i));
        words.push_back("word number " + std::to_string(i % 7));
    }
    try {
        if (sum(shapes) > 10)
            throw Large{"large"};
    } catch (const Large &large) {
        words.push_back(large.text);
    }
    return words.size() == 51 ? 0 : 1;
}
