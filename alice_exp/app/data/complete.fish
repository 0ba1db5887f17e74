# In ~/.config/fish/completions/alice-exp.fish: alice-exp completion fish | source
function __alice_exp_complete
    set -l words (commandline -opc) (commandline -ct)
    env _ALICE_EXP_COMPLETE=1 $words 2>/dev/null
end
complete -c alice-exp -f -a '(__alice_exp_complete)'
