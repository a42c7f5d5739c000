import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownCommand, withOwnCommand } from '../../core/own-command.js';

const SKILL = fileURLToPath(new URL('../../../sandbox/agent/SKILL.md', import.meta.url));
/** Where agents look for skills of a project. */
const SKILL_FILE = '.agents/skills/posthorn/SKILL.md';
const AGENTS_FILE = 'AGENTS.md';
const [BEGIN, END] = ['<!-- posthorn: begin -->', '<!-- posthorn: end -->'];

const section = (posthorn: string): string => `${BEGIN}
## Posthorn

This project uses Posthorn, a business-messaging platform. Its sandbox runs on this machine without an account.

- Before you work on messages, webhooks, connectors, flows or journeys, read [the skill](${SKILL_FILE}).
- Start a sandbox with \`${posthorn} sandbox\` in the background; all other commands find it. \`${posthorn} help\` lists them.
- If nothing happens, run \`${posthorn} why\` and \`${posthorn} advice\` before you change code.
- \`${posthorn} mcp\` serves the same as MCP tools.
${END}`;

/** A file of the installation, relative to the project, and what happened to it. */
export interface InstalledFile {
  readonly file: string;
  readonly state: 'created' | 'updated' | 'unchanged';
}

/** The markers in the file are damaged, so that the section cannot be replaced. */
export class DamagedMarkers extends Error {
  override readonly name = 'DamagedMarkers';
}

/**
 * Writes the skill, and the section of `AGENTS.md`, whose other content stays. Can be repeated.
 * @throws DamagedMarkers before anything is written, and the error of the file system
 */
export function installAgentFiles(folder: string): readonly InstalledFile[] {
  const agents = join(folder, AGENTS_FILE);
  const before = existsSync(agents) ? readFileSync(agents, 'utf8') : '';
  const files = {
    [AGENTS_FILE]: withSection(before, section(ownCommand(folder))),
    [SKILL_FILE]: withOwnCommand(readFileSync(SKILL, 'utf8'), folder),
  };
  return Object.entries(files).map(([file, text]) => ({ file, state: write(join(folder, file), text) }));
}

function withSection(text: string, section: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 && end < 0) return text.trim() === '' ? `${section}\n` : `${text.trimEnd()}\n\n${section}\n`;
  const isDamaged = begin < 0 || end < begin || text.indexOf(BEGIN, begin + 1) >= 0 || text.indexOf(END, end + 1) >= 0;
  if (isDamaged) throw new DamagedMarkers(`${AGENTS_FILE} must contain '${BEGIN}' and '${END}' once each, in this order`);
  return `${text.slice(0, begin)}${section}${text.slice(end + END.length)}`;
}

function write(path: string, text: string): InstalledFile['state'] {
  const exists = existsSync(path);
  if (exists && readFileSync(path, 'utf8') === text) return 'unchanged';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return exists ? 'updated' : 'created';
}
