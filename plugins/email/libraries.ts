import { Unavailable } from '#core';

/**
 * The packages that speak the protocols of mail. They are no part of the platform's installation: only platforms with e-mail numbers need them.
 * @throws Unavailable that names the command to install one
 */
export const libraries = {
  nodemailer: () => found('nodemailer', () => import('nodemailer')),
  'smtp-server': () => found('smtp-server', () => import('smtp-server')),
  imapflow: () => found('imapflow', () => import('imapflow')),
  'postal-mime': () => found('postal-mime', () => import('postal-mime')),
  'email-reply-parser': () => found('email-reply-parser', () => import('email-reply-parser')),
};

async function found<T>(name: keyof typeof libraries, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const all = Object.keys(libraries).join(' ');
    throw new Unavailable(
      `The package '${name}' is not installed, which e-mail numbers need: npm install ${all}`,
      undefined,
      'email_library_missing',
    );
  }
}
