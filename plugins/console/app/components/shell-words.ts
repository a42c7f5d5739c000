/** Quotes a text for a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A word of a command, in quotes if the shell would read it otherwise. */
export const inShell = (word: string): string => (/^[\w+:.,=@/-]+$/.test(word) ? word : quoted(word));

/** A flag with its value, as words of a command. */
export const flag = (name: string, value: string): readonly string[] =>
  /^-|^$/.test(value) ? [`--${name}=${value}`] : [`--${name}`, value];
