import { type FileSystem, readChunks } from '../../file-system.js';

export interface Line {
  /** Without the line end. A slice of the read buffer, which stays in memory as long as this line. */
  readonly bytes: Buffer;
  /** Counted from 1. */
  readonly number: number;
  /** Byte offset of the line in the file. */
  readonly start: number;
  /** False for text after the last line end of the file. */
  readonly ended: boolean;
}

const LINE_END = 0x0a;

/** The lines of a file, in the batches in which it is read. */
export async function* readLines(fs: FileSystem, path: string): AsyncGenerator<Line[], void> {
  let number = 0;
  let start = 0;
  let pieces: Buffer[] = [];
  for await (const chunk of readChunks(fs, path)) {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      const piece = chunk.subarray(from, end);
      const bytes = pieces.length === 0 ? piece : Buffer.concat([...pieces, piece]);
      pieces = [];
      lines.push({ bytes, number: ++number, start, ended: true });
      start += bytes.length + 1;
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (pieces.length > 0) yield [{ bytes: Buffer.concat(pieces), number: ++number, start, ended: false }];
}
