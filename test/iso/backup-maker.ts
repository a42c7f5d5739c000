// Makes a backup: `node backup-maker.js <data folder> <folder of backups>`
import { backupData } from '../../core/adapters/store/index.js';

await backupData(process.argv[2]!, process.argv[3]!);
