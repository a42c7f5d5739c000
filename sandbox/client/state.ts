import type { Imported } from '../state/imported-state.js';
import { adminSend, adminText } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** As percent-encoded UTF-8, because a header cannot contain every character. */
const keyHeader = (passphrase: string | undefined): Record<string, string> =>
  passphrase === undefined ? {} : { 'posthorn-export-key': encodeURIComponent(passphrase) };

export const resetState = async (run: RunFile): Promise<void> => void (await adminSend(run, 'POST', '/state/reset', {}));

/** @returns the text of the file */
export const exportState = (run: RunFile, secrets: 'omit' | 'sealed', passphrase: string | undefined): Promise<string> =>
  adminText(run, '/state/export', JSON.stringify({ secrets }), keyHeader(passphrase));

export const importState = async (run: RunFile, text: string, passphrase: string | undefined): Promise<Imported> =>
  JSON.parse(await adminText(run, '/state/import', text, keyHeader(passphrase))) as Imported;
