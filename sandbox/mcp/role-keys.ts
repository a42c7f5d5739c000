import { adminSend } from '../client/admin-client.js';
import type { RunFile } from '../client/run-file.js';

const LIFETIME_MS = 24 * 60 * 60_000;

/** Keys with one role, for tools that must not use the key of the platform: one for each platform, removed at the end. */
export class RoleKeys {
  readonly #role: string;
  readonly #made = new Map<string, { readonly uuid: string; readonly run: RunFile; readonly limited: RunFile }>();

  constructor(role: string) {
    this.#role = role;
  }

  /** The platform with a key of the role, which expires after a day. @throws SandboxRefused when the platform does not know the role */
  async limited(run: RunFile): Promise<RunFile> {
    const made = this.#made.get(run.api);
    if (made && made.run.admin.key === run.admin.key) return made.limited;
    const expires_at = new Date(Date.now() + LIFETIME_MS).toISOString();
    const { key, text } = (await adminSend(run, 'POST', '/keys', { name: `mcp ${this.#role}`, roles: [this.#role], expires_at })) as {
      readonly key: { readonly uuid: string };
      readonly text: string;
    };
    const limited = { ...run, admin: { ...run.admin, key: text } };
    this.#made.set(run.api, { uuid: key.uuid, run, limited });
    return limited;
  }

  /** Removes the keys; those of a platform that has ended are gone with it, or expire. */
  async remove(): Promise<void> {
    for (const { uuid, run } of this.#made.values()) await adminSend(run, 'DELETE', `/keys/${uuid}`).catch(() => undefined);
    this.#made.clear();
  }
}
