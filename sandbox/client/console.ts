import { adminSend } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** The page of the console about something; undefined if the platform is not known to have a console. */
export const pageUrl = ({ console }: RunFile, page: string, id: string): string | undefined =>
  console && `${console.url}${page}/${encodeURIComponent(id)}`;

/** A URL that signs a browser in to the console, once. @throws SandboxUnreachable, SandboxRefused */
export async function signInUrl(run: RunFile): Promise<string> {
  const { url } = (await adminSend(run, 'POST', '/console/sessions')) as { url: string };
  return url;
}
