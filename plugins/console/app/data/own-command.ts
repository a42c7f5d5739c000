/** The command line of Posthorn in a terminal of this server: `npx posthorn`, or another command where npm does not find it. */
export const POSTHORN = document.body.dataset.command ?? 'npx posthorn';

/** A command that begins with `posthorn`, as that terminal runs it. */
export const withPosthorn = (command: string): string => command.replace(/^posthorn (?=\w)/, () => `${POSTHORN} `);
