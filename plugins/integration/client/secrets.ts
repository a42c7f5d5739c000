/** Names of the secrets of an integration: what we sign with, and the API token it gave us. */
export const secretOf = (uuid: string): string => `hmac:${uuid}`;
export const tokenOf = (uuid: string): string => `token:${uuid}`;
