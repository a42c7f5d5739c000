/** Claims of a shard in the directory of a cluster: keys that no other shard may have, and by which calls find the shard. */

/** The kinds of keys: the address of a number, the uuid of a number, the hash of a token, or the name of an account. */
export type ClaimKind = 'address' | 'number' | 'token' | 'account';

/** One key. */
export interface Claim {
  readonly kind: ClaimKind;
  readonly key: string;
}

/**
 * The claims of one shard. They are outside its store: claim before a transaction commits, and release after it has. Both may be repeated.
 */
export interface Claims {
  /**
   * Claims all of the keys, or none; claims that the shard already has stay.
   * @throws ClaimTaken when another shard has one of them
   * @throws LogUnreachable when the outcome is unknown
   */
  claim(claims: readonly Claim[]): Promise<void>;
  /** Releases claims; those that the shard does not have are ignored. @throws LogUnreachable */
  release(claims: readonly Claim[]): Promise<void>;
  /** Everything that the shard has claimed. @throws LogUnreachable */
  list(): Promise<readonly Claim[]>;
}

/** Another shard has claimed the key. */
export class ClaimTaken extends Error {
  override readonly name = 'ClaimTaken';
  readonly claim: Claim;

  constructor(claim: Claim) {
    super(`another shard has the ${claim.kind} ${claim.key}`);
    this.claim = claim;
  }
}
