# In ~/.bashrc: eval "$(alice-exp completion bash)"
_alice_exp_complete() {
    local line
    local -a found=()
    COMPREPLY=()
    while IFS= read -r line; do
        found+=("$line")
    done < <(_ALICE_EXP_COMPLETE=1 "${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [ "${#found[@]}" -eq 1 ]; then
        COMPREPLY=("${found[0]%%$'\t'*}")
        return
    fi
    for line in "${found[@]}"; do
        COMPREPLY+=("${line/$'\t'/  }")
    done
}
complete -o bashdefault -o default -F _alice_exp_complete alice-exp
