/** The URL of the server with its prefix, such as `http://127.0.0.1:4100/api/`: this file is in `console/assets/` below it. */
export const SERVER = new URL('../../', import.meta.url);

/** The path of the console without a slash at its end, such as `/api/console`. */
export const CONSOLE_PATH = new URL('console', SERVER).pathname;
