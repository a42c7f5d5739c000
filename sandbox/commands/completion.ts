import { completionOf, type Shell, shells } from '../terminal/completion.js';
import { readFlags, text, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = { name: text('NAME', 'complete a command of this name (default posthorn)') };

export const completion: Command = {
  summary: 'prints a script that completes commands and flags in a shell',
  usage: 'completion bash|zsh|fish',
  notes: [
    'bash: eval "$(posthorn completion bash)" in ~/.bashrc; zsh: the same in ~/.zshrc;',
    'fish: posthorn completion fish > ~/.config/fish/completions/posthorn.fish',
  ],
  flags,
  async run(argv, terminal, commands = {}) {
    const { values, positionals } = readFlags(argv, flags);
    const [shell, ...more] = positionals;
    if (!shells.includes(shell as Shell) || more.length > 0) throw new UsageError(`completion takes one of ${shells.join(', ')}`);
    terminal.out(completionOf(commands, shell as Shell, values.name));
    return exit.ok;
  },
};
