import { Busboy } from '@fastify/busboy';
import type { RecordedCall } from '#core/testing';
import { badRequest } from './api-error.js';

/** A file that is uploaded with a call. */
export interface UploadedFile {
  readonly bytes: Buffer;
  readonly fileName: string;
  readonly mimeType: string;
}

/** The parameters of a call: of its query, its JSON, or its form, in which objects are JSON text. Null counts as absent. */
export class Parameters {
  readonly all: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, UploadedFile>;

  constructor(all: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, UploadedFile> = new Map()) {
    this.all = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));
    this.files = files;
  }

  /** A text; numbers and booleans are written as such. */
  text(name: string): string {
    const value = this.all[name];
    return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  }

  integer(name: string): number | undefined {
    const text = this.text(name);
    return /^-?\d+$/.test(text) ? Number(text) : undefined;
  }

  isTrue(name: string): boolean {
    return /^(true|yes|1)$/i.test(this.text(name));
  }

  /** An object or a list, also as JSON text. @throws ApiError with `reason` for a text that is not JSON */
  json(name: string, reason: string): unknown {
    const value = this.all[name];
    if (typeof value !== 'string') return value;
    if (value === '') return undefined;
    try {
      return JSON.parse(value);
    } catch {
      throw badRequest(reason);
    }
  }

  /** The uploaded file of a parameter: the part with its name, or the part that `attach://` names. */
  file(name: string): UploadedFile | undefined {
    const [, attached = name] = /^attach:\/\/(.+)$/.exec(this.text(name)) ?? [];
    return this.files.get(attached);
  }
}

/** Reads the parameters of a call. @throws ApiError for a body that cannot be read */
export async function parametersOf(call: RecordedCall, query: URLSearchParams): Promise<Parameters> {
  const type = call.headers['content-type'] ?? '';
  const asked = Object.fromEntries(query);
  if (call.body.length === 0) return new Parameters(asked);
  if (/^multipart\/form-data/i.test(type)) return formOf(call, type, asked);
  if (/^application\/x-www-form-urlencoded/i.test(type))
    return new Parameters({ ...asked, ...Object.fromEntries(new URLSearchParams(call.text)) });
  if (!/^application\/json/i.test(type)) return new Parameters(asked);
  try {
    const value: unknown = call.json;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return new Parameters({ ...asked, ...value });
  } catch {
    // Refused below, as JSON that is not an object.
  }
  throw badRequest("can't parse request body");
}

function formOf(call: RecordedCall, type: string, asked: Readonly<Record<string, string>>): Promise<Parameters> {
  const fields: Record<string, unknown> = { ...asked };
  const files = new Map<string, UploadedFile>();
  return new Promise((resolve, reject) => {
    const unreadable = (): void => reject(badRequest("can't parse multipart form data"));
    try {
      const parser = new Busboy({ headers: { 'content-type': type }, limits: { fieldSize: call.body.length } });
      parser.on('field', (name, value) => {
        fields[name] = value;
      });
      parser.on('file', (name, stream, fileName, _encoding, mimeType) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('error', unreadable);
        stream.on('end', () => files.set(name, { bytes: Buffer.concat(chunks), fileName, mimeType }));
      });
      parser.on('error', unreadable);
      parser.on('finish', () => resolve(new Parameters(fields, files)));
      parser.end(Buffer.from(call.body));
    } catch {
      unreadable();
    }
  });
}
