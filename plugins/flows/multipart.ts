import { Busboy } from '@fastify/busboy';
import { BodyTooLarge, InvalidRequest, UnsupportedMediaType } from '#core';
import { MAX_FLOW_BYTES } from './validate/read-text.js';

/** What comes beside the file: names of parts, their headers, a few short fields. */
const BESIDE_BYTES = 64 * 1024;
export const MAX_UPLOAD_BYTES = MAX_FLOW_BYTES + BESIDE_BYTES;
const MAX_PARTS = 20;

/**
 * The file in the part `file` of a multipart body that has been read whole; other parts are ignored.
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
    let isCutOff = false;
    try {
      const parser = new Busboy({
        headers: { 'content-type': contentType },
        limits: { fileSize: MAX_FLOW_BYTES, parts: MAX_PARTS, fields: MAX_PARTS, fieldSize: BESIDE_BYTES },
        // A part that says it is JSON is a file even without a file name.
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
        isCutOff = true;
      });
      parser.on('finish', () => {
        if (found) resolve(Buffer.concat(found));
        else if (isCutOff) unreadable(new Error(`the part file is not among its first ${MAX_PARTS} parts`));
        else reject(new InvalidRequest([{ path: ['file'], rule: 'any.required', message: 'the part file is required' }]));
      });
      parser.end(body);
    } catch (error) {
      unreadable(error);
    }
  });
}
