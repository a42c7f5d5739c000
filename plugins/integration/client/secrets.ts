/** The names of an integration's secrets: our signing secret, and its API token. */
export const secretOf = (uuid: string): string => `hmac:${uuid}`;
export const tokenOf = (uuid: string): string => `token:${uuid}`;
