import { Busboy } from '@fastify/busboy';
import { BodyTooLarge, InvalidRequest, UnsupportedMediaType } from '#core';
import { MAX_FLOW_BYTES } from './validate/read-text.js';

/** Bytes allowed in addition to the file, for boundaries, part headers and a few short fields. */
const OTHER_PARTS_BYTES = 64 * 1024;
export const MAX_UPLOAD_BYTES = MAX_FLOW_BYTES + OTHER_PARTS_BYTES;
const MAX_PARTS = 20;

/**
 * Returns the content of the part `file` of a multipart body; other parts are ignored.
 * @throws UnsupportedMediaType, InvalidRequest, BodyTooLarge
 */
export function fileIn(body: Buffer, contentType: string | undefined): Promise<Buffer> {
  if (!contentType || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    return Promise.reject(new UnsupportedMediaType('Send the file as the part `file` of multipart/form-data'));
  }
  return new Promise((resolve, reject) => {
    const unreadable = (error: unknown): void =>
      reject(new InvalidRequest([], `The multipart body cannot be read: ${error instanceof Error ? error.message : String(error)}`));
    let found: Buffer[] | undefined;
    let hasTooManyParts = false;
    try {
      const parser = new Busboy({
        headers: { 'content-type': contentType },
        limits: { fileSize: MAX_FLOW_BYTES, parts: MAX_PARTS, fields: MAX_PARTS, fieldSize: OTHER_PARTS_BYTES },
        // Some clients send the file without a file name.
        isPartAFile: (name, type, filename) => name === 'file' || filename !== undefined || type === 'application/octet-stream',
      });
      parser.on('file', (name, file) => {
        const chunks: Buffer[] = [];
        if (name === 'file') found ??= chunks;
        file.on('data', (chunk: Buffer) => chunks.push(chunk));
        file.on('limit', () => reject(new BodyTooLarge(MAX_FLOW_BYTES)));
        file.on('error', unreadable);
      });
      parser.on('error', unreadable);
      parser.on('partsLimit', () => {
        hasTooManyParts = true;
      });
      parser.on('finish', () => {
        if (found) resolve(Buffer.concat(found));
        else if (hasTooManyParts) unreadable(new Error(`the part file must be among the first ${MAX_PARTS} parts`));
        else reject(new InvalidRequest([{ path: ['file'], rule: 'any.required', message: 'the part file is required' }]));
      });
      parser.end(body);
    } catch (error) {
      unreadable(error);
    }
  });
}
