import { pageConfig } from '../pageConfig.ts';

export default pageConfig('perceptual-loss');
