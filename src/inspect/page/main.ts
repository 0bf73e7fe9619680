/** @file The script of a report as one file: shows the data that the file holds. */
import { mountPage, type PageData } from './mountPage.ts';

const data = document.getElementById('data')?.textContent ?? '';
mountPage(document.body, JSON.parse(data) as PageData);
