// Objects of some classes; prints how many it keeps.
using System;
using System.Collections.Generic;

class Node { public Node next; public long number; }
class Leaf { public int number; }
class Gone { }

class Program
{
    static List<object> kept = new List<object>();

    static Node Grow(int count)
    {
        Node head = null;
        for (int i = 0; i < count; i++)
            head = new Node { next = head, number = i };
        return head;
    }

    static void Work()
    {
        for (int i = 0; i < 1000; i++) {
            kept.Add(new Leaf { number = i });
            kept.Add(new byte[100]);
            new Gone().GetHashCode();
        }
    }

    static void Main()
    {
        Node list = Grow(500);
        Work();
        GC.Collect();
        kept.RemoveRange(0, 600);
        GC.Collect();
        Console.WriteLine(kept.Count + (list != null ? 1 : 0));
    }
}
