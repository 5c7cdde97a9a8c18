// orders.cpp -- a small order desk: it reads open orders all the time, and
// moves filled orders to an archive that it keeps and hardly reads. One
// function allocates both kinds of orders, so only their call stacks
// distinguish hot and cold ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

namespace
{

struct Order {
    long id;
    long price;
    long quantity;
    long filled;
    char customer[64];
};

// All orders are allocated here.
__attribute__((noinline)) Order *make_order(long id, long price, long quantity)
{
    return new Order{id, price, quantity, 0, "somebody"};
}

// Open orders: few, and accessed all the time.
class Book
{
  public:
    void accept(long id)
    {
        open_.emplace_back(make_order(id, 100 + id * 7 % 50, 10 + id % 90));
    }

    // Gives each open order a share of the volume; true if one is complete.
    bool match(long volume)
    {
        bool complete = false;
        for (auto &order : open_) {
            order->filled += 1 + volume % 3;
            complete |= order->filled >= order->quantity;
        }
        return complete;
    }

    template <typename F> void remove_complete(F keep)
    {
        for (size_t i = 0; i < open_.size();) {
            if (open_[i]->filled >= open_[i]->quantity) {
                keep(*open_[i]);
                open_[i] = std::move(open_.back());
                open_.pop_back();
            } else {
                i++;
            }
        }
    }

    size_t size() const
    {
        return open_.size();
    }

  private:
    std::vector<std::unique_ptr<Order>> open_;
};

// Filled orders, for an auditor who comes once a year.
class Archive
{
  public:
    void store(const Order &order)
    {
        Order *copy = make_order(order.id, order.price, order.quantity);
        copy->filled = order.filled;
        copies_.push_back(copy);
        receipts_.push_back(new char[240]);
    }

    size_t size() const
    {
        return copies_.size();
    }

  private:
    std::vector<Order *> copies_;
    std::vector<char *> receipts_;
};

// Prices by instrument: a hash table that every order reads.
class Prices
{
  public:
    long look_up(long instrument)
    {
        return prices_[instrument % 500] += instrument & 3;
    }

  private:
    std::unordered_map<long, long> prices_;
};

// A text that is created and discarded for every message.
long parse_message(long id)
{
    std::unique_ptr<char[]> text(new char[128]);
    snprintf(text.get(), 128, "35=D|11=%ld|38=%ld", id, id % 97);
    return strtol(text.get() + 8, nullptr, 10);
}

} // namespace

int main()
{
    Book book;
    Archive archive;
    Prices prices;
    long volume = 0;

    for (long id = 1; id <= 20000; id++) {
        volume += prices.look_up(parse_message(id)) & 15;
        book.accept(id);
        if (book.match(volume))
            book.remove_complete(
                [&](const Order &order) { archive.store(order); });
    }
    printf("%zu orders open, %zu archived\n", book.size(), archive.size());
    return 0;
}
