import { CommandFailed } from '../terminal/command-failed.js';

/** The package is an optional peer dependency, because only users of coding agents need it. */
const PACKAGE = '@modelcontextprotocol/sdk';

/** The package of the Model Context Protocol is not installed. */
export class SdkMissing extends CommandFailed {
  constructor() {
    const next = `npm install -D ${PACKAGE}`;
    super(`the MCP server needs the package ${PACKAGE}. Install it, and start again: ${next}`, { next });
  }
}

/** Imports modules of the SDK. @throws SdkMissing */
export async function fromSdk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === 'ERR_MODULE_NOT_FOUND' && message.includes(PACKAGE) ? new SdkMissing() : error;
  }
}
