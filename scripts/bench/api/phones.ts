// The contacts of the API benchmark.

const CONTACTS = 1_000;

export const phone = (n: number): string => `2782${String(n % CONTACTS).padStart(7, '0')}`;
