import type pg from 'pg';
import { type AfterLoss, Servers } from '../../../plugins/cluster/postgres/servers.js';
import type { Process } from '../process.js';
import type { Database } from './server.js';

/** How a process of the simulation connects to the database: without the driver, and without the choice between several hosts. */
export class SimulatedServers extends Servers {
  readonly #database: Database;
  readonly #machine: string;
  readonly #process: Process;

  constructor(database: Database, machine: string, process: Process, afterLoss: AfterLoss) {
    super({ url: 'postgres://database/posthorn', afterLoss });
    this.#database = database;
    this.#machine = machine;
    this.#process = process;
  }

  override async connect(limitMs: number): Promise<pg.Client> {
    return (await this.#database.connect(this.#machine, this.#process, limitMs)) as unknown as pg.Client;
  }
}
