/** The locale of a platform, and how strict messages are checked before they are sent. Journeys handle differences between contacts themselves. */
export interface PlatformLocale {
  /** The IANA name of the time zone in which journeys read and write times; `UTC` by default. */
  readonly timeZone?: string;
  /**
   * The country in which contacts write telephone numbers and dates: ISO 3166-1 alpha-2, such as `ZA`. By default that of the contact's telephone
   * number, or of the number that they write to.
   */
  readonly country?: string;
  /**
   * Says how to treat a journey with a message that the network would refuse, such as a header of 80 characters: `refuse` (the default)
   * prevents publishing it, `warn` only warns. Numbers of channels without limits are never checked.
   */
  readonly overNetworkLimit?: 'refuse' | 'warn';
}
