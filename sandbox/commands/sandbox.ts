import { banner } from '../banner.js';
import { type Sandbox, startSandbox } from '../compose.js';
import { type SandboxConfig, sandboxConfig, sandboxFlags } from '../config.js';
import { writeRunFile } from '../run-file.js';
import { version } from '../version.js';
import { type Command, exit, type Terminal } from './command.js';

const PORTS_TRIED = 10;

export const sandbox: Command = {
  summary: 'runs a sandbox until Ctrl-C',
  usage: 'posthorn sandbox [flags]',
  flags: sandboxFlags,
  async run(argv, terminal) {
    const config = sandboxConfig(argv);
    const began = performance.now();
    const stopped = waitForSignal();
    let running: Sandbox;
    try {
      running = await startOnFreePort(config);
    } catch (error) {
      terminal.err(`posthorn: ${startProblem(error, config)}`);
      return hasCode(error, 'EADDRINUSE') || isNamed(error, 'FolderInUse') ? exit.inUse : exit.failed;
    }
    const removeRunFile = writeRunFile(terminal.cwd, {
      pid: process.pid,
      api: running.api,
      admin: running.admin,
      ...(running.phone !== undefined && { phone: running.phone }),
    });
    announce(running, config, terminal, Math.round(performance.now() - began));
    await stopped;
    if (!config.json && !config.quiet) terminal.err('  stopping ...');
    removeRunFile();
    await running.stop();
    return exit.ok;
  },
};

function announce(running: Sandbox, config: SandboxConfig, terminal: Terminal, readyMs: number): void {
  if (config.json) {
    const { numbers, channels, webhooks, journeys } = running.seeded;
    terminal.out(JSON.stringify({ ready: true, api: running.api, admin: running.admin, numbers, channels, webhooks, journeys }));
  } else if (!config.quiet) {
    for (const line of banner(running, { version, data: config.data, readyMs, isColoured: terminal.isColoured })) terminal.out(line);
  }
  if (config.host !== '127.0.0.1' && config.host !== 'localhost' && config.host !== '::1') {
    terminal.err(`posthorn: warning: ${config.host} can be reached from other machines; whoever has a token or the admin key can use it`);
  }
}

/** A default port that is taken gives way to the next one; a port that was asked for does not. */
async function startOnFreePort(config: SandboxConfig): Promise<Sandbox> {
  for (let port = config.port; ; port++) {
    try {
      return await startSandbox({ ...config, port });
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE') || config.isPortFixed || port >= config.port + PORTS_TRIED) throw error;
    }
  }
}

function startProblem(error: unknown, { port }: SandboxConfig): string {
  if (hasCode(error, 'EADDRINUSE')) return `port ${port} is taken; choose another with --port, or --port 0 for any free one`;
  return error instanceof Error ? error.message : String(error);
}

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
const isNamed = (error: unknown, name: string): boolean => error instanceof Error && (error.name === name || isNamed(error.cause, name));

/** The first signal stops cleanly; a second one ends at once. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(exit.interrupted);
        isStopping = true;
        resolve();
      });
    }
  });
}
