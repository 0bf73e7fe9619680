import { pageConfig } from '../pageConfig.ts';

export default pageConfig('gather-three-ways');
