/** @file The script of a report as one file: shows the data that the file holds. */
import { mountReport, type PageData } from './mount.ts';

const data = document.getElementById('data')?.textContent ?? '';
mountReport(document.body, JSON.parse(data) as PageData);
