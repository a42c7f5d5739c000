// Computes what a number of messages a day takes, from the measured parts of one message.

/** A part of the work that a message causes: for each message, and for each append to the log, which may contain several transactions. */
export interface PartUs {
  readonly message: number;
  readonly append: number;
}

/** The parts of a message that is posted over HTTP, stored, and delivered with a signature. */
export interface Parts {
  /** CPU microseconds of the process that owns the shard. */
  readonly owner: PartUs;
  /** CPU microseconds of the database for the owner. */
  readonly database: PartUs;
  /** CPU microseconds of the standby. */
  readonly standby: number;
  /** CPU microseconds of the database for the standby. */
  readonly databaseForStandby: number;
  /** CPU microseconds a second of a process, and of the database for each process, without messages. */
  readonly idle: { readonly process: number; readonly database: number };
  /** Appends of a message when few calls come at the same time. Each is one round trip to the database. */
  readonly appends: number;
  /** Bytes of the log, and of the write-ahead log of the database. */
  readonly logBytes: number;
  readonly walBytes: number;
  /** Bytes between the database and the owner, and between the database and the standby. */
  readonly ownerWire: number;
  readonly standbyWire: number;
}

/** Figures of processes that served messages. */
export interface MeasuredRun {
  readonly shards: number;
  readonly processes: number;
  readonly messages: number;
  readonly ms: number;
  /** CPU of each process, and of the database. */
  readonly processMs: readonly number[];
  readonly databaseMs: number;
  /** The same within a second without messages. */
  readonly idleProcessMs: number;
  readonly idleDatabaseMs: number;
  readonly appends: number;
  readonly logBytes: number;
  readonly walBytes: number;
  /** Bytes between each process and the database. */
  readonly wireBytes: readonly number[];
}

const US_PER_MS = 1_000;

/**
 * The parts of a message.
 * @param many one process and one shard, with many calls at the same time, so that an append contains many transactions
 * @param few the same with few calls, so with more appends
 * @param followed as `many`, with a standby
 */
export function partsOf(many: MeasuredRun, few: MeasuredRun, followed: MeasuredRun): Parts {
  const idle = { process: many.idleProcessMs * US_PER_MS, database: many.idleDatabaseMs * US_PER_MS };
  const owner = solved(many, few, ({ processMs, ms }) => processMs[0]! * US_PER_MS - (idle.process * ms) / 1_000);
  const database = solved(many, few, ({ databaseMs, ms }) => databaseMs * US_PER_MS - (idle.database * ms) / 1_000);
  const of = ({ messages }: MeasuredRun, value: number) => Math.max(0, value / messages);
  const idleMs = followed.ms / 1_000;
  const forOwner = database.message * followed.messages + database.append * followed.appends;
  return {
    ...{ owner, database, idle },
    standby: of(followed, followed.processMs[1]! * US_PER_MS - idle.process * idleMs),
    databaseForStandby: of(followed, followed.databaseMs * US_PER_MS - 2 * idle.database * idleMs - forOwner),
    appends: few.appends / few.messages,
    logBytes: many.logBytes / many.messages,
    walBytes: few.walBytes / few.messages,
    ownerWire: few.wireBytes[0]! / few.messages,
    standbyWire: followed.wireBytes[1]! / followed.messages,
  };
}

/** Two equations: the CPU of each run is that of its messages and that of its appends. */
function solved(many: MeasuredRun, few: MeasuredRun, us: (run: MeasuredRun) => number): PartUs {
  const each = (run: MeasuredRun) => ({ cpu: us(run) / run.messages, appends: run.appends / run.messages });
  const [a, b] = [each(many), each(few)];
  const append = Math.max(0, (b.cpu - a.cpu) / (b.appends - a.appends));
  return { message: Math.max(0, a.cpu - append * a.appends), append };
}

/** The CPU and bytes that the model expects of a run. */
export function expected(parts: Parts, { shards, processes, messages, ms, appends }: MeasuredRun) {
  const isFollowed = processes > 1 && shards > 0;
  const idle = (each: number) => (processes * each * ms) / 1_000;
  const sum = ({ message, append }: PartUs) => message * messages + append * appends;
  return {
    processMs: (sum(parts.owner) + (isFollowed ? parts.standby * messages : 0) + idle(parts.idle.process)) / US_PER_MS,
    databaseMs: (sum(parts.database) + (isFollowed ? parts.databaseForStandby * messages : 0) + idle(parts.idle.database)) / US_PER_MS,
    logBytes: parts.logBytes * messages,
  };
}

/** Figures that are assumed, and not measured. */
export interface Assumptions {
  /** The busiest second, as a multiple of the average. */
  readonly peak: number;
  /** The share of a core, a heap or a disk that is used in the busiest second. */
  readonly use: number;
  /** Days for which messages stay in memory. */
  readonly days: number;
  /** Bytes of heap of a message with its delivery, measured by `npm run bench scale -- --start`. */
  readonly heapBytes: number;
  /** Bytes of heap of one process. */
  readonly processBytes: number;
  /** CPU microseconds of both processes when a call comes to one that does not own the shard, in addition. */
  readonly hopUs: number;
  /** Bytes of a call with its response, and of a delivery with its. */
  readonly httpBytes: number;
  /** Bytes a second that the disk of the database writes. */
  readonly diskBytes: number;
  /** Cores of the database. */
  readonly databaseCores: number;
}

export const ASSUMED: Assumptions = {
  ...{ peak: 3, use: 0.6, days: 1, heapBytes: 900, processBytes: 8e9, hopUs: 640 },
  ...{ httpBytes: 4_000, diskBytes: 500e6, databaseCores: 16 },
};

const SECONDS_PER_DAY = 86_400;
/** Connections of a process, and for each shard that it owns or follows. */
const [OF_PROCESS, OF_SHARD] = [3, 4];
const SHARDS_PER_PROCESS = 2;

/** Computes what a number of messages a day takes. */
export function capacityFor(perDay: number, parts: Parts, assumed: Assumptions = ASSUMED) {
  const { peak, use, days, heapBytes, processBytes, hopUs, httpBytes, diskBytes, databaseCores } = assumed;
  const rate = (perDay / SECONDS_PER_DAY) * peak;
  const cost = ({ message, append }: PartUs) => message + append * parts.appends;
  const processUs = cost(parts.owner) + hopUs + parts.standby;
  const databaseUs = cost(parts.database) + parts.databaseForStandby;
  const byCpu = Math.ceil((rate * processUs) / 1e6 / use);
  // Each message is in the memory of its owner and of its standby.
  const memory = 2 * perDay * days * heapBytes;
  const byMemory = Math.ceil(memory / processBytes / use);
  const processes = Math.max(2, byCpu, byMemory);
  const shards = processes * SHARDS_PER_PROCESS;
  // Each byte of the log is written to the write-ahead log, and later to the table.
  const written = rate * (parts.walBytes + parts.logBytes);
  const byDisk = written / (diskBytes * use);
  const byDatabaseCpu = (rate * databaseUs) / 1e6 / (databaseCores * use);
  return {
    ...{ rate, processes, byCpu, byMemory, memory, shards },
    standbyCores: (rate * parts.standby) / 1e6,
    databaseCores: (rate * databaseUs) / 1e6,
    databases: Math.max(1, Math.ceil(Math.max(byDisk, byDatabaseCpu))),
    /** Messages a day at which one database reaches the assumed disk or cores. */
    perDatabase: perDay / Math.max(byDisk, byDatabaseCpu),
    connections: OF_PROCESS * processes + 2 * OF_SHARD * shards,
    writtenPerSecond: written,
    walPerDay: perDay * parts.walBytes,
    databaseNetwork: rate * (parts.ownerWire + parts.standbyWire),
    processNetwork: rate * httpBytes,
  };
}
