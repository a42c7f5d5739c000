import { completionOf, type Shell, shells } from '../terminal/completion.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  name: text('NAME', 'complete a command of this name (default posthorn)'),
  json: toggle('print the script as one line of JSON'),
};

export const completion: Command = {
  summary: 'prints a script that completes commands and flags in a shell',
  usage: 'completion bash|zsh|fish',
  examples: ['completion bash'],
  notes: [
    'For bash in ~/.bashrc, for zsh in ~/.zshrc, and for fish:',
    '  eval "$(npx posthorn completion bash)"',
    '  eval "$(npx posthorn completion zsh)"',
    '  npx posthorn completion fish > ~/.config/fish/completions/posthorn.fish',
  ],
  flags,
  async run(argv, terminal, commands = {}) {
    const { values, positionals } = readFlags(argv, flags);
    const [shell, ...more] = positionals;
    if (!shells.includes(shell as Shell) || more.length > 0) throw new UsageError(`completion takes one of ${shells.join(', ')}`);
    const script = completionOf(commands, shell as Shell, values.name);
    terminal.out(values.json ? JSON.stringify({ v: 1, shell, script }) : script);
    return exit.ok;
  },
};
