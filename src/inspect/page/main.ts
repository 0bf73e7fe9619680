/** @file The script of a report in a single file: shows the data in the file. */
import { mountPage, type PageData } from './mountPage.ts';

const page = document.createElement('main');
document.body.append(page);
const data = document.getElementById('data')?.textContent ?? '';
mountPage(page, JSON.parse(data) as PageData, 1);
