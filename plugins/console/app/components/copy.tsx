import { useSignal } from '@preact/signals';
import { SERVER } from '../data/address.js';
import { admin, type Method } from '../data/admin.js';
import { announce } from '../data/announce.js';
import { POSTHORN, withPosthorn } from '../data/own-command.js';
import { Draw } from './icons.js';
import { Menu, type MenuItem } from './menu.js';
import { flag, inShell, quoted } from './shell-words.js';
import { texts } from './texts.js';

/** Copies a text, and tells screen readers. @returns whether the browser allowed it */
export async function copy(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    announce(texts.copied(what));
    return true;
  } catch {
    announce(texts.theBrowserDidNotAllow(what));
    return false;
  }
}

type Copy = (text: string, what: string) => void;

/** A button says for this long that it copied. */
const COPIED_MS = 1_000;

/** `copy` of a button, and whether it has copied just now. */
function useCopied(): readonly [isCopied: boolean, copy: Copy] {
  const isCopied = useSignal(false);
  return [
    isCopied.value,
    async (text, what) => {
      if (!(await copy(text, what))) return;
      isCopied.value = true;
      setTimeout(() => {
        isCopied.value = false;
      }, COPIED_MS);
    },
  ];
}

/** A button that copies a text that is shown beside it. */
export function CopyButton({ text, label, look = 'button outlined' }: { text: string; label: string; look?: string }) {
  const [isCopied, run] = useCopied();
  return (
    <button type="button" class={look} onClick={() => run(text, label)}>
      <Draw name={isCopied ? 'check' : 'copy'} /> {isCopied ? texts.copied2 : texts.copy}
      <span class="unseen"> {label}</span>
    </button>
  );
}

/** Longer texts are not part of the name of their button. */
const MAX_NAMED = 100;

/** An id, address or value that a click copies. */
export function CopyText({ text, label, shown = text }: { text: string; label: string; shown?: string }) {
  const [isCopied, run] = useCopied();
  return (
    <button
      type="button"
      class={isCopied ? 'copy-text is-copied' : 'copy-text'}
      title={texts.copy2(label)}
      aria-label={text.length > MAX_NAMED ? texts.copy2(label) : texts.copy3(label, text)}
      onClick={() => run(text, label)}
    >
      <bdi>{shown}</bdi>
      <Draw name={isCopied ? 'check' : 'copy'} />
      {isCopied && <small>{texts.copied2}</small>}
    </button>
  );
}

/** A call that the console makes, so that scripts can make it, too. */
export interface Action {
  readonly method: Method;
  /** Below `/admin/v1`; with `api: 'v1'` the whole path of a call that needs the token of a number, which the console does not have. */
  readonly path: string;
  readonly api?: 'admin' | 'v1';
  readonly payload?: unknown;
  /** The body, if it is not JSON that `payload` could express. */
  readonly text?: string;
  /** The body, if it is a file. */
  readonly file?: { readonly name: string; readonly type: string };
  /** The same as a command, such as `posthorn deliveries redeliver UUID`. Default: `posthorn api` with the call. */
  readonly command?: string;
  /** The number whose token a call with `api: 'v1'` needs. */
  readonly number?: string | undefined;
}

/** Makes the call of an action. */
export const perform = <T,>({ method, path, payload }: Action): Promise<T> => admin<T>(method, path, payload);

/** The start of a command that the menu shows; the body of a call can be long. */
const MAX_SHOWN = 100;

/** The forms in which an action can be copied. */
function copyItems(action: Action, run: Copy): readonly MenuItem[] {
  const command = asCommand(action);
  const shown = command.replace(`${POSTHORN} `, 'posthorn ');
  return [
    { id: 'curl', label: texts.curl, select: () => run(asCurl(action), texts.theCallAsCurl) },
    { id: 'typescript', label: texts.typescript, select: () => run(asTypeScript(action), texts.theCallAsTypescript) },
    {
      id: 'command',
      label: texts.commandLine,
      note: shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown,
      select: () => run(command, texts.theCommand),
    },
  ];
}

interface CopyAsProps {
  readonly action: Action;
  readonly label?: string;
  /** Always shown, where no button of the action is before it. */
  readonly isAlone?: boolean;
}

/** A menu that copies an action as a call of curl, as TypeScript, or as a command. After the button of the action it is only its arrow. */
export function CopyAs({ action, label = texts.copyAs3, isAlone = false }: CopyAsProps) {
  const [isCopied, run] = useCopied();
  return (
    <Menu look={isAlone ? 'button plain' : 'button plain copy-as'} items={copyItems(action, run)}>
      <span>{isCopied ? texts.copied2 : label}</span> <span aria-hidden="true">{isCopied ? '✓' : '▾'}</span>
    </Menu>
  );
}

/** The same as a small button that is joined with the button of the action. */
export function JoinedCopyAs({ action, label, look }: { action: Action; label: string; look: string }) {
  const [isCopied, run] = useCopied();
  return (
    <Menu look={`${look} joined-menu`} label={isCopied ? texts.copied2 : texts.copyAs2(label)} items={copyItems(action, run)}>
      <span aria-hidden="true">{isCopied ? '✓' : '▾'}</span>
    </Menu>
  );
}

const urlOf = ({ path, api }: Action): string => new URL(api === 'v1' ? path.slice(1) : `admin/v1${path}`, SERVER).href;

const keyOf = ({ api }: Action): string => (api === 'v1' ? 'POSTHORN_TOKEN' : 'POSTHORN_ADMIN_KEY');

/** In characters. Linux takes at most 128 KiB as one argument of a program; `printf` is a part of the shell. */
const MAX_ARGUMENT = 30_000;

export function asCurl(action: Action): string {
  const { method, payload, text, file } = action;
  const parts = [`curl ${quoted(urlOf(action))}`, `-H "Authorization: Bearer $${keyOf(action)}"`];
  if (method !== 'GET') parts.push(`-X ${method}`);
  const body = text ?? (payload === undefined ? undefined : JSON.stringify(payload));
  const isPiped = body !== undefined && body.length > MAX_ARGUMENT;
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `--data-binary ${isPiped ? '@-' : quoted(body)}`);
  if (file) parts.push(`-H ${quoted(`Content-Type: ${typeOf(file)}`)}`, `--data-binary ${quoted(`@${file.name}`)}`);
  const call = parts.join(' \\\n  ');
  return isPiped ? `printf %s ${quoted(body)} | ${call}` : call;
}

export function asCommand({ method, path, api, payload, text, file, command, number }: Action): string {
  if (command !== undefined) return withPosthorn(command);
  const json = payload === undefined ? undefined : JSON.stringify(payload);
  // A text need not be JSON, which the command expects as an argument.
  const piped = text ?? (json !== undefined && json.length > MAX_ARGUMENT ? json : undefined);
  const words = [`${POSTHORN} api`, method, inShell(path)];
  if (piped !== undefined) words.push('--body -');
  else if (json !== undefined) words.push(quoted(json));
  if (file) words.push(...[...flag('body', file.name), ...flag('type', typeOf(file))].map(inShell));
  if (api === 'v1' && number !== undefined) words.push('--number', number);
  const call = words.join(' ');
  return piped === undefined ? call : `printf %s ${quoted(piped)} | ${call}`;
}

/** Browsers know no type of some files. */
const typeOf = ({ type }: { readonly type: string }): string => type || 'application/octet-stream';

export function asTypeScript(action: Action): string {
  const { method, payload, text, file } = action;
  const body = file
    ? `await readFile(${JSON.stringify(file.name)})`
    : text === undefined
      ? payload !== undefined && `JSON.stringify(${JSON.stringify(payload, null, 2).replaceAll('\n', '\n  ')})`
      : JSON.stringify(text);
  const headers = [`    authorization: \`Bearer \${process.env.${keyOf(action)}}\`,`];
  if (body !== false) headers.push(`    'content-type': '${file ? typeOf(file) : 'application/json'}',`);
  return [
    ...(file ? ["import { readFile } from 'node:fs/promises';", ''] : []),
    `const response = await fetch(${JSON.stringify(urlOf(action))}, {`,
    `  method: '${method}',`,
    '  headers: {',
    ...headers,
    '  },',
    ...(body === false ? [] : [`  body: ${body},`]),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}
