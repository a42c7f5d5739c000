import { createHash } from 'node:crypto';
import { acceptsType, NETWORK_FILES } from '#core/basics';
import type { RecordedCall, Reply } from '#core/testing';
import type { GraphRequest } from './graph.js';
import { GraphError, unknownObject } from './graph-error.js';
import type { Network } from './network.js';
import type { StandInNumber } from './settings.js';

/** A file that a contact sends. */
export interface MediaFile {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly filename?: string;
}

interface Medium extends MediaFile {
  readonly id: string;
  readonly phoneNumberId: string | undefined;
  readonly expiresAt: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const UPLOADED_FOR_MS = 30 * DAY_MS;
const RECEIVED_FOR_MS = 7 * DAY_MS;
const LINK_MS = 5 * 60 * 1000;

/** The types of documents that uploads may have. */
const DOCUMENTS = [
  'text/plain',
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
].concat(
  ['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'].map(
    (type) => `application/vnd.openxmlformats-officedocument.${type}`,
  ),
);

/** The largest file of a type, in bytes; undefined for a type that the network does not take. */
function maxBytesOf(mimeType: string): number | undefined {
  if (DOCUMENTS.includes(mimeType)) return NETWORK_FILES.document.maxBytes;
  const { document: _, ...others } = NETWORK_FILES;
  return Object.values(others).find((files) => acceptsType(files, mimeType))?.maxBytes;
}

const sha256 = (bytes: Uint8Array, encoding: 'hex' | 'base64'): string => createHash('sha256').update(bytes).digest(encoding);

/** Uploaded and received files, and the links from which they are downloaded. */
export class MediaStore {
  readonly #network: Network;
  readonly #baseUrl: () => string;
  readonly #media = new Map<string, Medium>();
  readonly #links = new Map<string, { readonly id: string; readonly expiresAt: number }>();

  constructor(network: Network, baseUrl: () => string) {
    this.#network = network;
    this.#baseUrl = baseUrl;
  }

  /** `POST /{phone-number-id}/media`. @throws GraphError 100, 131053 */
  async upload({ phoneNumberId }: StandInNumber, request: GraphRequest): Promise<{ readonly id: string }> {
    const form = await request.form();
    if ((form.get('messaging_product') ?? request.query.get('messaging_product')) !== 'whatsapp') {
      throw new GraphError(100, undefined, { message: '(#100) The parameter messaging_product is required.' });
    }
    const file = form.get('file');
    if (file === null || typeof file === 'string')
      throw new GraphError(100, undefined, { message: '(#100) The parameter file is required.' });
    // The content type of the part comes first. One without it gets text/plain from the reader of forms.
    const named = form.get('type') ?? request.query.get('type');
    const mimeType = String(request.hasOwnType('file') ? file.type : (named ?? file.type))
      .split(';')[0]!
      .trim();
    const bytes = new Uint8Array(await file.arrayBuffer());
    const maxBytes = maxBytesOf(mimeType);
    if (maxBytes === undefined)
      throw new GraphError(100, `Param file must be a file with one of the supported types; ${mimeType} is none.`);
    if (bytes.length > maxBytes)
      throw new GraphError(131053, `The file has ${bytes.length} bytes; the maximum for ${mimeType} is ${maxBytes}.`);
    return { id: this.#add({ bytes, mimeType, filename: file.name }, UPLOADED_FOR_MS, phoneNumberId) };
  }

  /** `GET /{media-id}`: with a link that is valid for five minutes. @throws GraphError 100, subcode 33 */
  lookUp(id: string, phoneNumberId: string | null): Record<string, unknown> {
    const { bytes, mimeType, ...medium } = this.#valid(id);
    if (phoneNumberId !== null && medium.phoneNumberId !== undefined && medium.phoneNumberId !== phoneNumberId) throw unknownObject(id);
    const url = this.#link(id);
    return { messaging_product: 'whatsapp', url, mime_type: mimeType, sha256: sha256(bytes, 'hex'), file_size: bytes.length, id };
  }

  has(id: string): boolean {
    return this.#media.has(id);
  }

  /** @throws GraphError 100, subcode 33 */
  delete(id: string): { readonly success: true } {
    this.#valid(id);
    this.#media.delete(id);
    return { success: true };
  }

  /** The network loses a file: look-ups and downloads no longer find it. */
  lose(id: string): void {
    this.#media.delete(id);
  }

  /** The object of a file in a webhook. */
  received(file: MediaFile): Record<string, unknown> {
    const id = this.#add(file, RECEIVED_FOR_MS, undefined);
    return {
      id,
      mime_type: file.mimeType,
      sha256: sha256(file.bytes, 'base64'),
      ...(file.filename !== undefined && { filename: file.filename }),
      ...(this.#network.switches.mediaUrls && { url: this.#link(id) }),
    };
  }

  /** Serves a link. `isAuthorized` says whether the call has the token. */
  download(call: RecordedCall, isAuthorized: boolean): Reply {
    if (!isAuthorized) return { status: 401, body: 'Unauthorized' };
    const url = new URL(call.url, this.#baseUrl());
    const link = this.#links.get(url.pathname.split('/').at(-1)!);
    const medium = link && link.expiresAt > this.#network.clock.now().getTime() ? this.#media.get(link.id) : undefined;
    if (!medium) return { status: 404, body: 'Not found' };
    if (this.#network.switches.mediaRedirects && !url.searchParams.has('redirected')) {
      return { status: 302, headers: { location: `${url.origin}${url.pathname}?redirected=1` } };
    }
    return { headers: { 'content-type': medium.mimeType }, body: medium.bytes };
  }

  /** Refuses ids of media that do not exist. @throws GraphError 131009 */
  check(message: Readonly<Record<string, unknown>>): undefined {
    const { id } = Object(message[String(message.type)]) as { id?: unknown };
    if (typeof id === 'string' && !this.#isValid(id))
      throw new GraphError(131009, `The parameter id is not a medium of this account: ${id}.`);
    return undefined;
  }

  #add(file: MediaFile, lifetimeMs: number, phoneNumberId: string | undefined): string {
    const id = this.#network.id();
    this.#media.set(id, { ...file, id, phoneNumberId, expiresAt: this.#network.clock.now().getTime() + lifetimeMs });
    return id;
  }

  #isValid(id: string): boolean {
    return (this.#media.get(id)?.expiresAt ?? 0) > this.#network.clock.now().getTime();
  }

  #valid(id: string): Medium {
    if (!this.#isValid(id)) throw unknownObject(id);
    return this.#media.get(id)!;
  }

  #link(id: string): string {
    const key = this.#network.id();
    this.#links.set(key, { id, expiresAt: this.#network.clock.now().getTime() + LINK_MS });
    return `${this.#baseUrl()}/media-files/${key}`;
  }
}
