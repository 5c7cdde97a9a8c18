/* typed.cpp -- allocates objects of two types.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
struct Node {
    Node *next;
};
struct Matrix {
    double cells[16];
};
static Node *volatile node;
static Matrix *volatile matrix;

int main()
{
    for (int i = 0; i < 3; i++) {
        node = new Node{nullptr};
        delete node;
        matrix = new Matrix;
    }
}
