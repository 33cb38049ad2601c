# Completion of tenure for bash; after bashcompinit also for zsh.
_tenure() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= operands= takes= given= entry i
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '%VERBS%' -- "$current"))
        return
    fi
    case ${COMP_WORDS[1]} in
%CASES%        *) return ;;
    esac
    # After -- comes a command, and then whatever that command wants.
    i=2
    while [ "$i" -lt "$COMP_CWORD" ]; do
        if [ "${COMP_WORDS[i]}" = -- ]; then
            if [ "$((i + 1))" -eq "$COMP_CWORD" ]; then
                COMPREPLY=($(compgen -c -- "$current"))
            else
                COMPREPLY=($(compgen -f -- "$current"))
            fi
            return
        fi
        case ${COMP_WORDS[i]} in
            -*) case " $takes " in *" ${COMP_WORDS[i]} "*) i=$((i + 1)) ;; esac ;;
            *) given="$given${COMP_WORDS[i]} " ;;
        esac
        i=$((i + 1))
    done
    case " $takes " in
        *" $before "*) return ;;
    esac
    case $current in
        -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
        *)
            # An operand is offered behind those that are given already.
            local IFS=$',\n'
            for entry in $(compgen -W "$operands" -- "$given$current"); do
                entry=${entry#"$given"}
                case $entry in *' '*) ;; *) COMPREPLY+=("$entry") ;; esac
            done
            ;;
    esac
}
complete -F _tenure tenure
