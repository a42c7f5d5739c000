import { Readable } from 'node:stream';
import type { MergedList } from '../../../core/contract/route.js';
import { NotReady } from '../../../core/errors.js';
import { compared, type Json, mergedLists } from '../../../core/kernel/http/merged-lists.js';
import type { Directory } from '../directory.js';
import { summed } from './merge.js';
import type { ShardResponse } from './shard-calls.js';

/** A response for the client. */
export type Answer = Pick<ShardResponse, 'statusCode' | 'headers'> & { readonly body: Readable };

/** The parts of the client's call that a call to one shard replaces. */
export interface Change {
  readonly url?: string;
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  readonly isEndless?: boolean;
}

/** Makes the call of a client to a shard. @throws NotReady */
export type CallShard = (shard: string, change?: Change) => Promise<Answer>;

const MAX_FOUND = 10_000;
const [FORBIDDEN, NOT_FOUND] = [403, 404];

/** Finds the shard of a record that is in none of the directory's entries, and remembers where records were found. */
export class FoundShards {
  readonly #directory: Pick<Directory, 'shards'>;
  readonly #found = new Map<string, string>();

  /** @param directory knows its shards only after its start */
  constructor(directory: Pick<Directory, 'shards'>) {
    this.#directory = directory;
  }

  /**
   * Asks one shard after the other, until one has the record. One that lacks it responds with 404, or with 403 if the credential is in the URL, because
   * each shard signs with a key of its own. Only a shard that has the record acts on the call.
   * @param ids the values in the path of the call
   * @throws NotReady when the record may be in a shard that does not respond
   */
  async call(ids: readonly string[], isSigned: boolean, callShard: CallShard): Promise<Answer> {
    const key = ids.join('/');
    const likely = key === '' ? undefined : this.#found.get(key);
    const { shards } = this.#directory;
    let refusal: Answer | undefined;
    let notReady: NotReady | undefined;
    for (const shard of likely === undefined ? shards : [likely, ...shards.filter((other) => other !== likely)]) {
      try {
        const answer = await callShard(shard);
        const isElsewhere = answer.statusCode === NOT_FOUND || (isSigned && answer.statusCode === FORBIDDEN);
        if (!isElsewhere) {
          refusal?.body.resume();
          if (key !== '') this.#remember(key, shard);
          return answer;
        }
        const isClearer = !refusal || (refusal.statusCode === NOT_FOUND && answer.statusCode === FORBIDDEN);
        (isClearer ? refusal : answer)?.body.resume();
        if (isClearer) refusal = answer;
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        notReady = error;
      }
    }
    if (refusal && !notReady) return refusal;
    refusal?.body.resume();
    throw notReady!;
  }

  #remember(key: string, shard: string): void {
    if (this.#found.size >= MAX_FOUND) this.#found.delete(this.#found.keys().next().value!);
    this.#found.set(key, shard);
  }
}

/** Lets every shard do its part, and adds up their responses. A shard that lacks the record that the call names does not count. */
export async function summedCall(shards: readonly string[], callShard: CallShard): Promise<Answer> {
  const answers = await answersOf(shards, callShard);
  const refusal = answers.find(({ statusCode }) => statusCode >= 300 && statusCode !== NOT_FOUND);
  const done = answers.filter(({ statusCode }) => statusCode < 300);
  return refusal || done.length === 0 ? oneOf(answers, refusal ?? answers[0]!) : jsonAnswer(done[0]!, summed(await bodiesOf(done)));
}

/** Merges the lists of all shards. `url` is path and query of the client's call. */
export async function mergedCall(shards: readonly string[], list: MergedList, url: string, callShard: CallShard): Promise<Answer> {
  const { pathname, searchParams } = new URL(url, 'http://shard');
  const after = list.after && searchParams.get('after');
  const last = after ? await lastEntry(list.after!, pathname, after, shards, callShard) : undefined;
  if (last && 'refusal' in last) return last.refusal;
  if (last) {
    // A page of another shard continues by time: it does not know the record.
    searchParams.delete('after');
    const before = Date.parse(searchParams.get('before') ?? '');
    const at = Date.parse(String(last.entry[list.after!.at])) + 1;
    searchParams.set('before', new Date(Number.isNaN(before) ? at : Math.min(before, at)).toISOString());
  }
  const ofOthers = `${pathname}?${searchParams}`;
  const answers = await answersOf(shards, (shard) =>
    last && shard !== last.shard ? callShard(shard, { url: ofOthers }) : callShard(shard),
  );
  const refusal = answers.find(({ statusCode }) => statusCode >= 300);
  if (refusal) return oneOf(answers, refusal);
  const bodies = await bodiesOf(answers);
  const beyond = last
    ? bodies.map((body) => ({ ...body, [list.list]: entriesOf(body, list).filter((entry) => isBeyond(entry, last.entry, list)) }))
    : bodies;
  const limit = Number(searchParams.get('limit') ?? list.limit ?? Number.POSITIVE_INFINITY);
  return jsonAnswer(answers[0]!, mergedLists(beyond, list, limit));
}

/** The answers of all shards. When one does not answer, those of the others are read and dropped. @throws NotReady */
async function answersOf(shards: readonly string[], callShard: CallShard): Promise<Answer[]> {
  const results = await Promise.allSettled(shards.map((shard) => callShard(shard)));
  const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure === undefined) return answers;
  for (const { body } of answers) body.resume();
  throw failure.reason;
}

const entriesOf = (body: Json, { list }: MergedList): readonly unknown[] => (body[list] as readonly unknown[] | undefined) ?? [];

const isBeyond = (entry: unknown, last: Json, { by, order }: MergedList): boolean =>
  order === 'ascending' ? compared(entry, last, by) > 0 : compared(entry, last, by) < 0;

async function lastEntry(
  { shownBy, key }: NonNullable<MergedList['after']>,
  pathname: string,
  uuid: string,
  shards: readonly string[],
  callShard: CallShard,
): Promise<{ readonly shard: string; readonly entry: Json } | { readonly refusal: Answer }> {
  const root = pathname.slice(0, pathname.lastIndexOf(shownBy));
  let refusal: Answer | undefined;
  for (const shard of shards) {
    const answer = await callShard(shard, { url: `${root}${shownBy}/${encodeURIComponent(uuid)}` });
    if (answer.statusCode === 200) return { shard, entry: (await bodyOf(answer))[key] as Json };
    refusal?.body.resume();
    refusal = answer;
  }
  return { refusal: refusal! };
}

/** The answer that is passed on; the bodies of the others are read and dropped, so that their connections can be used again. */
function oneOf(answers: readonly Answer[], chosen: Answer): Answer {
  for (const answer of answers) if (answer !== chosen) answer.body.resume();
  return chosen;
}

const bodiesOf = (answers: readonly Answer[]): Promise<Json[]> => Promise.all(answers.map(bodyOf));

async function bodyOf({ body }: Answer): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Json;
}

function jsonAnswer({ statusCode, headers }: Answer, body: Json): Answer {
  const { 'content-length': _, 'content-encoding': __, ...others } = headers;
  return { statusCode, headers: others, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
}
