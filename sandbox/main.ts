import { withOwnCommand } from '../core/own-command.js';
import { commandFirst, commandName, runCommandLine } from './command-line.js';
import { commands } from './commands.js';
import { escapeOutput } from './terminal/escape.js';
import { wantsLinks } from './terminal/hyperlink.js';
import { wantsColour } from './terminal/painter.js';
import { exit, type Terminal } from './terminal/terminal.js';

const { stdout, stderr, env } = process;
const isColoured = wantsColour(stdout, env);
const hasLinks = await wantsLinks(stdout);
const terminal: Terminal = {
  out: (line) => void stdout.write(`${escapeOutput(line, { isColoured, hasLinks })}\n`),
  file: (content) => void stdout.write(stdout.isTTY ? escapeOutput(content.toString(), { isColoured, hasLinks }) : content),
  err: (line) => void stderr.write(`${escapeOutput(withOwnCommand(line), { isColoured })}\n`),
  isColoured,
  hasLinks,
  // Read for each line, as windows change their size. Undefined for a pipe or a file.
  get columns() {
    // A pseudo-terminal without a size has 0.
    return stdout.columns || undefined;
  },
  cwd: process.cwd(),
};

const args = commandFirst(process.argv.slice(2));

// In `posthorn tail | head`, head closes the pipe. Commands that only print end then; a sandbox continues.
stdout.on('error', () => {
  if (commandName(args) !== 'sandbox') process.exit(exit.ok);
});
stderr.on('error', () => undefined);

process.exitCode = await runCommandLine(args, terminal, commands);
