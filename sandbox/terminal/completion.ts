import type { Command } from '../commands/command.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

type Commands = Readonly<Record<string, Command>>;

/** A script that completes commands, their verbs, their flags, and the values of flags that have a list of values. */
export function completionOf(commands: Commands, shell: Shell, name = 'posthorn'): string {
  return shell === 'fish'
    ? fish(commands, name)
    : shell === 'bash'
      ? bash(commands, name)
      : `autoload -U +X bashcompinit && bashcompinit\n${bash(commands, name)}`;
}

/** The verbs of a command: the lower-case words before a space, | or the end in its usage. */
export function verbsOf({ usage }: Command): string[] {
  const [, ...words] = usage.split(' ');
  const parts = words
    .join(' ')
    .replace(/\[flags\]/g, '')
    .split('|');
  return parts.flatMap((part) => /^\s*\[?([a-z]+(?:-[a-z0-9]+)*)\b/.exec(part)?.[1] ?? []);
}

const flagsOf = ({ flags }: Command): string[] => Object.keys(flags).map((name) => `--${name}`);

/** The values of a flag such as `real|manual`. */
function valuesOf({ flags }: Command): [flag: string, values: string[]][] {
  return Object.entries(flags).flatMap(([name, { takes = '' }]): [string, string[]][] =>
    /^[a-z]+(\|[a-z]+)+$/.test(takes) ? [[`--${name}`, takes.split('|')]] : [],
  );
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: shell syntax
function bash(commands: Commands, name: string): string {
  const cases = Object.entries(commands).flatMap(([verb, command]) => [
    `    ${verb})`,
    '      case "$previous" in',
    ...valuesOf(command).map(([flag, values]) => `        ${flag}) COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$word")); return ;;`),
    '      esac',
    `      words="${[...verbsOf(command), ...flagsOf(command)].join(' ')}" ;;`,
  ]);
  return [
    '_posthorn() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words=""',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${[...Object.keys(commands), 'help'].join(' ')}" -- "$word"))`,
    '    return',
    '  fi',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))',
    '}',
    `complete -o filenames -F _posthorn ${name}`,
  ].join('\n');
}

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: shell syntax

function fish(commands: Commands, program: string): string {
  const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const unused = 'not __fish_seen_subcommand_from $posthorn_commands';
  return [
    `set -g posthorn_commands ${Object.keys(commands).join(' ')}`,
    ...Object.entries(commands).flatMap(([name, command]) => {
      const within = quoted(`__fish_seen_subcommand_from ${name}`);
      const verbs = verbsOf(command);
      return [
        `complete -c ${program} -n ${quoted(unused)} -f -a ${name} -d ${quoted(command.summary)}`,
        ...(verbs.length > 0 ? [`complete -c ${program} -n ${within} -a ${quoted(verbs.join(' '))}`] : []),
        ...Object.entries(command.flags).map(([flag, { takes, help, short, isOptional }]) =>
          [
            `complete -c ${program} -n ${within} -l ${flag}`,
            ...(short ? [`-s ${short}`] : []),
            ...(takes && !isOptional ? ['-r'] : []),
            ...(takes && /^[a-z]+(\|[a-z]+)+$/.test(takes) ? [`-f -a ${quoted(takes.replaceAll('|', ' '))}`] : []),
            `-d ${quoted(help)}`,
          ].join(' '),
        ),
      ];
    }),
  ].join('\n');
}
