import { resolve } from 'node:path';
import { readConfig } from '../config.js';
import type { BoundCheck, Outcome } from '../conform/index.js';
import { pluginsOfProject } from '../project-plugins.js';
import { assertWritable, writeReport } from '../reports/write-report.js';
import { isInCi } from '../terminal/ci.js';
import { oneOf, readFlags, text, texts, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { printTable } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

/** From the start of the command, which may start a sandbox first. Stopping it may take the rest of the 90 s. */
const WITHIN_MS = 80_000;
const KINDS = ['connector', 'webhook', 'integration', 'api'] as const;
type Kind = (typeof KINDS)[number];

const flags = {
  secret: text('TEXT', 'hmac_secret of the webhook or integration (default: POSTHORN_SECRET, or that of the running sandbox)'),
  channel: text('UUID', 'the channel of the connector (default: POSTHORN_NUMBER)'),
  token: text('TEXT', 'token of the channel, of the integration, or of a number for api (default: POSTHORN_TOKEN)'),
  'channel-token': text('TEXT', 'api: the token of --channel'),
  journey: text('UUID', 'api: a published journey that waits for input'),
  scheme: oneOf(['Bearer', 'Token'], 'integration: the scheme of --token (default Bearer)'),
  drive: text('URL', 'connector: a URL that acts as a contact; without it, a person at the terminal does'),
  plugin: texts('FILE', 'also run the checks of the plugin in this file; repeatable'),
  only: texts('IDS', 'run these checks only, such as C-07,C-08; repeatable'),
  bail: toggle('stop after the first failed MUST'),
  'dry-run': toggle('list what would be sent, and send nothing'),
  json: toggle('print the result as one line of JSON'),
  junit: text('FILE', 'write the result as JUnit XML'),
  markdown: text('FILE', 'write the result as Markdown, with a badge and a table'),
  service: text('NAME', 'the name of your service in headers (default svc)'),
  network: text('NAME', 'the name of the messaging network, likewise (default msgapp)'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const conform: Command = {
  summary: 'checks a connector, webhook receiver, integration or API against the specification',
  usage: 'conform connector|webhook|integration|api URL [flags]',
  examples: [
    'conform connector http://127.0.0.1:3000/ --secret SECRET',
    'conform webhook http://127.0.0.1:3001/ --secret SECRET --only W-01',
  ],
  notes: [
    'Sends at most four requests a second, about contacts that do not exist, and ends within 90 s.',
    'Without a running sandbox, connector starts one for the run, with --channel and --token.',
    'Runs the checks of the plugins of the configuration in this folder, too.',
    'Exit codes: 0 no MUST failed, 1 a MUST failed, 2 wrong usage, 5 the run reached its time limit.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [name, url, ...more] = positionals;
    const kind = KINDS.find((known) => known === name);
    if (!kind || url === undefined || more.length > 0)
      throw new UsageError(
        'conform takes a kind and a URL, for example: npx posthorn conform connector http://127.0.0.1:3000/ --secret SECRET',
      );
    assertUrl(url);
    if (values.drive !== undefined) assertUrl(values.drive);
    const isDry = values['dry-run'] ?? false;
    for (const flag of ['junit', 'markdown'] as const) {
      const path = values[flag];
      if (path !== undefined && !isDry) assertWritable(flag, resolve(terminal.cwd, path));
    }
    const { jsonReport, junitReport, markdownReport, rowOf, detailsOf } = await import('../conform/reports.js');
    const { isBroken, runChecks } = await import('../conform/index.js');
    const { checks, note, stop } = await checksOf(kind, url, values, terminal, isDry);
    const only = values.only?.flatMap((ids) => ids.split(',')).map((id) => idOf(id.trim(), checks));
    const unknown = only?.find((id) => !checks.some((check) => check.id === id));
    try {
      if (unknown !== undefined) throw new UsageError(`--only: there is no check ${unknown} of kind ${kind}`);
      if (isDry) {
        const selected = checks.filter(({ id }) => only?.includes(id) ?? true);
        const plan = selected.map(({ id, level, title, sends }) => ({ id, level, title, sends }));
        if (values.json) terminal.out(JSON.stringify({ v: 1, kind, url, checks: plan }));
        else
          printTable(
            plan.map(({ id, level, title, sends }) => [id, level, `${title}: ${sends}`]),
            terminal,
            '  ',
          );
        return exit.ok;
      }
      if (note !== undefined) terminal.err(note);
      const paint = painter(terminal.isColoured);
      const onOutcome = values.json ? undefined : (outcome: Parameters<typeof rowOf>[0]) => printTable([rowOf(outcome)], terminal, '  ');
      const selected = await runChecks(checks, { only, bail: values.bail, onOutcome });
      const causes = await causesOf(selected, checks);
      for (const cause of causes) onOutcome?.(cause);
      const outcomes = [...causes, ...selected];
      const about = { kind, url };
      if (values.json) terminal.out(JSON.stringify(jsonReport(about, outcomes)));
      else for (const line of detailsOf(outcomes, paint)) terminal.out(line);
      if (values.junit !== undefined) writeReport(resolve(terminal.cwd, values.junit), junitReport(about, outcomes));
      if (values.markdown !== undefined) writeReport(resolve(terminal.cwd, values.markdown), markdownReport(about, outcomes));
      if (outcomes.some(isBroken)) return exit.failed;
      return outcomes.some(({ isLate }) => isLate) ? exit.timeout : exit.ok;
    } finally {
      await stop();
    }
  },
};

/** The id of a check as it is written: those of plugins are in lower case. */
const idOf = (given: string, checks: readonly BoundCheck[]): string =>
  checks.find(({ id }) => id.toUpperCase() === given.toUpperCase())?.id ?? given.toUpperCase();

/** @throws UsageError */
function assertUrl(url: string): void {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new UsageError(`${url} is not a URL; write http://… or https://…`);
  const { username, password } = new URL(url);
  // Reports contain the URL.
  if (username || password) throw new UsageError('the URL must have no user name and no password in it');
}

/** Failed checks that --only did not select, because of which selected ones were skipped. */
async function causesOf(selected: readonly Outcome[], checks: readonly BoundCheck[]): Promise<Outcome[]> {
  const reasons = new Set(selected.map(({ reason }) => reason));
  const causes = checks.filter(({ id }) => reasons.has(`${id} failed`) && !selected.some((outcome) => outcome.id === id));
  return Promise.all(causes.map((cause) => cause.outcome()));
}

interface Prepared {
  readonly checks: readonly BoundCheck[];
  readonly note?: string;
  stop(): Promise<void>;
}

async function checksOf(kind: Kind, url: string, values: Values, terminal: Terminal, isDry: boolean): Promise<Prepared> {
  const since = performance.now();
  const { apiChecks, connectorChecks, integrationChecks, webhookChecks } = await import('../conform/index.js');
  const { env } = process;
  const { service, network, drive, journey, scheme } = values;
  const channel = values.channel ?? (env.POSTHORN_NUMBER || undefined);
  const token = values.token ?? (env.POSTHORN_TOKEN || undefined);
  const stop = async () => undefined;
  const plugins = await pluginsOfProject(await readConfig(terminal.cwd), values.plugin, terminal.cwd);
  if (kind === 'api') {
    if (token === undefined) throw new UsageError('conform api needs --token, or the token of a number in POSTHORN_TOKEN');
    const { 'channel-token': channelToken } = values;
    if ((values.channel === undefined) !== (channelToken === undefined))
      throw new UsageError('conform api takes --channel and --channel-token together');
    const ofChannel = values.channel !== undefined && channelToken !== undefined && { uuid: values.channel, token: channelToken };
    return { checks: apiChecks({ url, token, journey, plugins, ...(ofChannel && { channel: ofChannel }) }), stop };
  }
  const { knownSecret, providePlatform } = await import('../conform/own-platform.js');
  const secret = values.secret ?? (env.POSTHORN_SECRET || (await knownSecret(url, terminal.cwd)));
  if (secret === undefined) {
    const where = kind === 'integration' ? '' : ', unless the sandbox of this folder has a channel or webhook with this URL';
    throw new UsageError(`conform ${kind} needs --secret, or the hmac_secret in POSTHORN_SECRET${where}`);
  }
  const signed = { url, secret, service, network, plugins };
  if (kind === 'webhook') return { checks: webhookChecks(signed), stop };
  if (kind === 'integration') return { checks: integrationChecks({ ...signed, token: values.token, scheme }), stop };
  if (isDry) return { checks: connectorChecks(signed), stop };
  const { platform, ...provided } = await providePlatform({ ...signed, channel: channel?.toLowerCase(), token }, terminal.cwd);
  const prompt = drive === undefined && platform && isInteractive() ? countdown(terminal) : undefined;
  const withinMs = prompt ? undefined : WITHIN_MS - (performance.now() - since);
  return { checks: connectorChecks({ ...signed, platform, drive, prompt, withinMs }), ...provided };
}

/** Whether a person can act: never in CI, and never if the output is not a terminal. */
const isInteractive = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true && !isInCi();

/** Prints the task, and the seconds that remain. */
const countdown =
  ({ err }: Terminal) =>
  (task: string, waitMs: number): (() => void) => {
    err(`Now ${task}.`);
    const end = Date.now() + waitMs;
    const show = (): void => void process.stderr.write(`\r  ${Math.max(0, Math.ceil((end - Date.now()) / 1000))} s left `);
    const timer = setInterval(show, 1_000);
    timer.unref();
    return () => {
      clearInterval(timer);
      process.stderr.write('\r');
    };
  };
