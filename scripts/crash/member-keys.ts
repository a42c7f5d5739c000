/** Keys of the processes that the runs with PostgreSQL start. */
export const ADMIN_KEY = 'admin-key-of-the-members';
export const SECRET_KEY = '5'.repeat(64);
