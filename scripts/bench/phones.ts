// The contacts that the bench of the API talks with.

const CONTACTS = 1_000;

export const phone = (n: number): string => `2782${String(n % CONTACTS).padStart(7, '0')}`;
