const SEQ_DIGITS = 12;

/** The key of a delivery: `<number>/<seq>`. */
export const entryId = (number: string, seq: number): string => `${number}/${String(seq).padStart(SEQ_DIGITS, '0')}`;

/** The seq in the key of a delivery. */
export const seqOf = (id: string): number => Number(id.slice(id.lastIndexOf('/') + 1));

/** The number in the key of a delivery. */
export const numberOf = (id: string): string => id.slice(0, id.lastIndexOf('/'));
