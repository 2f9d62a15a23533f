# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion for asb in fish, which only asks asb.

function __asb_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    for offered in ($words[1] help --complete -- $words[2..-1] "$current" 2>/dev/null)
        if test $offered = :file
            if string match --quiet -- '--*=*' $current
                set -l parts (string split --max 1 = -- $current)
                for path in (__fish_complete_path (string unescape -- $parts[2]))
                    echo $parts[1]=$path
                end
            else
                __fish_complete_path (string unescape -- $current)
            end
        else
            echo $offered
        end
    end
end

complete --command asb --no-files --arguments '(__asb_complete)'
