# Lists, dictionaries, strings and procedures that call themselves.
proc tree {depth} {
    if {$depth == 0} {return leaf}
    set next [expr {$depth - 1}]
    return [list node$depth [tree $next] [tree $next]]
}
proc count {tree} {
    if {$tree eq "leaf"} {return 1}
    lassign $tree name left right
    return [expr {[count $left] + [count $right]}]
}
proc permute {items} {
    if {[llength $items] < 2} {return [list $items]}
    set out {}
    set i 0
    foreach item $items {
        foreach rest [permute [lreplace $items $i $i]] {
            lappend out [concat [list $item] $rest]
        }
        incr i
    }
    return $out
}
set rounds [lindex $argv 0]
for {set round 0} {$round < $rounds} {incr round} {
    puts [count [tree 12]]
    puts [llength [permute {a b c d e f g}]]
    set words [dict create]
    for {set i 0} {$i < 20000} {incr i} {
        set word "word[expr {$i * 7919 % 1009}]"
        dict incr words [string toupper $word] [string length $word$i]
    }
    puts [join [lrange [lsort [dict keys $words]] 0 20] ,]
}
