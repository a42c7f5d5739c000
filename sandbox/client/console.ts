import { adminSend } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** A URL that signs a browser in to the console, once. @throws SandboxUnreachable, SandboxRefused */
export async function signInUrl(run: RunFile): Promise<string> {
  const { url } = (await adminSend(run, 'POST', '/console/sessions')) as { url: string };
  return url;
}
