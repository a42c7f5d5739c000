import { collection } from '#core';

/** A visitor on one browser. */
export interface SessionRecord {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  /** The uuid of the number. */
  readonly number: string;
  /** The id of the contact, which exists from the first message, or when the website identifies the visitor: `web:…` or `user:…`. */
  readonly visitor: string;
  readonly created_at: string;
  readonly expires_at: string;
}

const ofVisitor = { tenant: { number: 'number' }, indexes: { visitor: ['number', 'visitor'], expiry: ['expires_at'] } } as const;

export const sessions = collection<SessionRecord>({ key: 'hash', ...ofVisitor });

/** A file that a visitor has uploaded, and may send for an hour. */
export interface UploadRecord {
  /** The id of the media file. */
  readonly id: string;
  readonly number: string;
  readonly visitor: string;
  readonly expires_at: string;
}

export const uploads = collection<UploadRecord>({ key: 'id', ...ofVisitor });
