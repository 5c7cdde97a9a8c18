# A report over a list of orders: filters, strings, grouping, sorting.
map(select(.lines | length > 1)
    | .total = ([.lines[] | .price * .count] | add)
    | .label = "\(.customer | ascii_upcase)-\(.id)")
| group_by(.customer)
| map({customer: .[0].customer,
       orders: length,
       total: (map(.total) | add),
       items: ([.[].lines[].item] | unique | length),
       first: (min_by(.total) | .label),
       tags: ([.[].tags[]] | unique | join(","))})
| sort_by(-.total)
| .[]
