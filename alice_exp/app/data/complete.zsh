#compdef alice-exp
# In ~/.zshrc, after compinit: eval "$(alice-exp completion zsh)"
_alice_exp_complete() {
    local line
    local -a values shown
    while IFS= read -r line; do
        values+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  }")
    done < <(_ALICE_EXP_COMPLETE=1 "${words[1]}" "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( $#values )); then
        compadd -l -d shown -a values
    else
        _files
    fi
}
compdef _alice_exp_complete alice-exp
