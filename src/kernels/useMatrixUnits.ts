/** @file Products of halves by matrix units: loaded where an app asks for them. */
import { setForm } from '../../shaders/gemm.ts';
import { matrixForm, subgroupMatrices } from '../../shaders/gemm/matrix.ts';
import type { Device } from '../gpu/device.ts';
import { matrixUnitsOf } from '../gpu/matrixUnits.ts';

/** From here on products of halves on `device` use its matrix units, if it was opened with them. */
export function useMatrixUnits(device: Device): void {
  setForm('matrix', matrixForm(subgroupMatrices));
  device.matrixUnits = matrixUnitsOf(device.gpu);
}
