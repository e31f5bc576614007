// The last step of `npm run build`: new embedded databases start from what it leaves in dist/.
import { buildTemplate } from './template.js';

await buildTemplate();
