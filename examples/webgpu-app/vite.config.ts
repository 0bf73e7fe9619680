import { pageConfig } from '../pageConfig.ts';

export default pageConfig('webgpu-app');
