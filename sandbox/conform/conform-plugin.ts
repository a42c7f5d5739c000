import {
  array,
  Conflict,
  definePlugin,
  InvalidRequest,
  integer,
  NotFound,
  nullable,
  object,
  type PluginContext,
  type Problem,
  permit,
  route,
  string,
  type TypeOf,
} from '#core';
import { sandboxCauses } from '../causes.js';
import {
  checkSchema,
  conformChecked,
  conformEnded,
  conformStarted,
  KeptRun,
  kinds,
  listedRunSchema,
  runSchema,
  type Subject,
} from './kept-run.js';
import type { PluginWithChecks } from './plugin-checks.js';
import type { BoundCheck } from './run.js';

/** Runs in memory; the oldest are deleted. */
const MAX_RUNS = 20;

interface ConformServices {
  /** The sandbox itself, as a connector reaches it; absent where the routes are only described. */
  readonly access?: (() => { readonly api: string; readonly adminKey: string }) | undefined;
  /** The plugins of the sandbox, whose checks run too. */
  readonly plugins?: readonly PluginWithChecks[];
  /** The token of a channel, if it is known. */
  readonly tokenOf: (channel: string) => string | undefined;
}

const newRun = object(
  { kind: kinds },
  {
    /** connector: the uuid of its channel. */
    channel: string(),
    /** webhook: its uuid. */
    webhook: string(),
    /** integration, api: its URL. */
    url: string().uri({ scheme: ['http', 'https'] }),
    /** integration: its `hmac_secret`. */
    secret: string(),
    /** api: the token of a number. */
    token: string(),
    /** connector: a URL that acts as a contact. */
    drive: string().uri({ scheme: ['http', 'https'] }),
    only: array(string()),
  },
);

const startedSchema = object({ run: object({ id: string(), url: string(), of: integer() }) });
const params = object({ id: string() });

/** Runs the checks of a connector, a webhook receiver, an integration or an API from the admin API. */
export const conformPlugin = ({ access, plugins, tokenOf }: ConformServices) =>
  definePlugin({
    name: 'conform',
    version: '0.1.0',
    permissions: {
      'conform.read': permit.everyone('See runs of conformance checks.'),
      'conform.run': permit.both('Run and cancel conformance checks.'),
    },
    causes: sandboxCauses.conform,
    emits: [conformStarted, conformChecked, conformEnded],
    register(context) {
      const { ids, clock, announce, log } = context;
      const runs = new Map<string, KeptRun>();

      /** @throws Conflict, InvalidRequest, NotFound */
      async function start(of: Subject, only?: readonly string[], before?: KeptRun) {
        assertNoneRuns();
        const abort = new AbortController();
        const { url, checks } = await of.bind(abort.signal);
        const unknown = only?.find((id) => !checks.some((check) => check.id === id));
        if (unknown !== undefined) throw refusal('only', 'any.only', `only: there is no check ${unknown} of kind ${of.kind}`);
        // Another run may have started while the endpoint was read.
        assertNoneRuns();
        const wanted = new Set(only ?? checks.map(({ id }) => id));
        const about = { id: ids.uuid(), startedAt: clock.now(), of, url, all: checks, only: wanted };
        const run = new KeptRun({ ...about, ...(before && { before: before.results }) }, abort);
        runs.set(run.id, run);
        if (runs.size > MAX_RUNS) runs.delete(runs.keys().next().value!);
        announce(conformStarted, { run: run.id, kind: of.kind, subject: of.subject, url, of: run.size });
        carryOut(run, about).then(
          () => end(run, 'ended'),
          (error: Error) => {
            if (!run.isRunning) return;
            log.warn('a conformance run has failed', { run: run.id, error });
            end(run, 'failed', error.message);
          },
        );
        return { run: { id: run.id, url, of: run.size } };
      }

      function assertNoneRuns(): void {
        if ([...runs.values()].some(({ isRunning }) => isRunning))
          throw new Conflict('run_in_progress', 'A conformance run is in progress; try again when it has ended, or cancel it');
      }

      async function carryOut(run: KeptRun, { all, only }: { readonly all: readonly BoundCheck[]; readonly only: ReadonlySet<string> }) {
        const { runChecks } = await import('./run.js');
        await runChecks(all, {
          only: [...only],
          onOutcome(outcome, at) {
            if (!run.isRunning) return;
            run.add(outcome, clock.now());
            const { id, level, result, title } = outcome;
            announce(conformChecked, { run: run.id, id, level, result, title, ...at });
          },
        });
      }

      function end(run: KeptRun, state: 'ended' | 'failed' | 'cancelled', error?: string): void {
        run.end(clock.now(), state, error);
        const { kind, subject } = run.of;
        announce(conformEnded, { run: run.id, kind, subject, state, ...run.counts() });
      }

      function runOf(id: string): KeptRun {
        const run = runs.get(id);
        if (!run) throw new NotFound('conformance run', id);
        return run;
      }

      return {
        stop() {
          for (const run of runs.values()) if (run.isRunning) run.end(clock.now(), 'cancelled');
        },
        admin: [
          route({
            method: 'POST',
            path: '/conform/runs',
            permission: 'conform.run',
            summary:
              'Starts the checks of a connector (`channel`), of a webhook receiver (`webhook`), of an integration (`url`, `secret`) or of an API (`url`, `token`), and responds immediately. The event `conform.checked` reports each result, and `conform.ended` the end.',
            request: { payload: newRun },
            responses: { 201: startedSchema },
            errors: [404, 409],
            handler: async ({ payload }, h) => h.response(await start(subjectOf(payload), payload.only)).code(201),
          }),
          route({
            method: 'GET',
            path: '/conform/runs',
            permission: 'conform.read',
            summary:
              'Lists the conformance runs in memory, newest first, with the results so far and without evidence. `subject` is the uuid of a channel or webhook.',
            request: { query: object({}, { subject: string(), limit: integer().min(1).max(MAX_RUNS) }) },
            responses: { 200: object({ runs: array(listedRunSchema) }) },
            handler({ query: { subject, limit = MAX_RUNS } }) {
              const found = [...runs.values()].filter(({ of }) => subject === undefined || of.subject === subject).reverse();
              return { runs: found.slice(0, limit).map((run) => run.listed()) };
            },
          }),
          route({
            method: 'GET',
            path: '/conform/runs/{id}',
            permission: 'conform.read',
            summary: `Shows a conformance run, with the results so far and their evidence. The newest ${MAX_RUNS} runs are kept in memory.`,
            request: { params },
            responses: { 200: object({ run: runSchema }) },
            handler: ({ params: { id } }) => ({ run: runOf(id).shown() }),
          }),
          route({
            method: 'GET',
            path: '/conform/runs/{id}/checks/{check}',
            permission: 'conform.read',
            summary: 'Shows a check of a conformance run with its evidence.',
            request: { params: object({ id: string(), check: string() }) },
            responses: { 200: object({ check: checkSchema }) },
            handler({ params: { id, check } }) {
              const found = runOf(id).results.get(check);
              if (!found) throw new NotFound('result of check', check, 'check_not_found');
              return { check: found };
            },
          }),
          route({
            method: 'POST',
            path: '/conform/runs/{id}/repeat',
            permission: 'conform.run',
            summary:
              'Runs the failed checks of a run again, and those that were skipped because of them, or with `only` the named ones, and responds immediately. The new run has the other results of the earlier one.',
            request: {
              params,
              // Without `only` the call needs no body.
              payload: nullable(object({}, { only: array(string()).min(1) })),
            },
            responses: { 201: startedSchema },
            errors: [404, 409],
            async handler({ params: { id }, payload }, h) {
              const run = runOf(id);
              const only = payload?.only ?? run.toRepeat();
              if (only.length === 0) throw new Conflict('nothing_failed', 'No check of this run has failed');
              return h.response(await start(run.of, only, run)).code(201);
            },
          }),
          route({
            method: 'POST',
            path: '/conform/runs/{id}/cancel',
            permission: 'conform.run',
            summary:
              'Cancels a conformance run: nothing more is sent, and the results so far are kept. A run that has ended stays as it is.',
            request: { params },
            responses: { 200: object({ run: listedRunSchema }) },
            handler({ params: { id } }) {
              const run = runOf(id);
              if (run.isRunning) end(run, 'cancelled');
              return { run: run.listed() };
            },
          }),
        ],
      };

      /** @throws InvalidRequest */
      function subjectOf(payload: TypeOf<typeof newRun>): Subject {
        const words = { service: context.dialect.service, network: context.dialect.network, plugins };
        const { kind } = payload;
        if (kind === 'connector') {
          const channel = required(payload, 'channel');
          const { drive } = payload;
          return {
            kind,
            subject: channel,
            drive: drive ?? null,
            async bind(signal) {
              const { connectorChecks } = await import('./index.js');
              const { url, secret } = await connectorOf(context, channel);
              const platform = { ...access!(), channel, token: tokenOf(channel) };
              return { url, checks: connectorChecks({ url, secret, drive, platform, signal, ...words }) };
            },
          };
        }
        if (kind === 'webhook') {
          const uuid = required(payload, 'webhook');
          return {
            kind,
            subject: uuid,
            drive: null,
            async bind(signal) {
              const { webhookChecks } = await import('./index.js');
              const { url } = await context.webhooks.require(uuid);
              return { url, checks: webhookChecks({ url, secret: await secretOf(context, uuid), signal, ...words }) };
            },
          };
        }
        const url = required(payload, 'url');
        const [secret, token] = kind === 'integration' ? [required(payload, 'secret'), ''] : ['', required(payload, 'token')];
        return {
          kind,
          subject: null,
          drive: null,
          async bind(signal) {
            const { apiChecks, integrationChecks } = await import('./index.js');
            return {
              url,
              checks: kind === 'api' ? apiChecks({ url, token, signal, plugins }) : integrationChecks({ url, secret, signal, ...words }),
            };
          },
        };
      }
    },
  })();

function refusal(name: string, rule: string, text: string): InvalidRequest {
  const problem: Problem = { path: [name], rule, message: text };
  return new InvalidRequest([problem], problem.message);
}

function required<K extends string>(payload: { readonly [key in K]?: string | undefined }, name: K): string {
  const value = payload[name];
  if (value === undefined) throw refusal(name, 'any.required', `${name} is required`);
  return value;
}

/** The endpoint of a channel. @throws NotFound */
async function connectorOf({ webhooks }: PluginContext, channel: string): Promise<{ url: string; secret: string }> {
  const listening = (await webhooks.ofNumber(channel)).filter(({ subscriptions }) => subscriptions.includes('channel'));
  const connector = listening.find(({ connector }) => connector) ?? listening[0];
  if (!connector) throw new NotFound('channel with a connector', channel, 'channel_not_found');
  return { url: connector.url, secret: await secretOf({ webhooks }, connector.uuid) };
}

/** @throws NotFound */
async function secretOf({ webhooks }: Pick<PluginContext, 'webhooks'>, uuid: string): Promise<string> {
  const secret = await webhooks.signingKey(uuid).read();
  if (secret === undefined) throw new NotFound('secret of webhook', uuid, 'secret_not_found');
  return secret;
}
